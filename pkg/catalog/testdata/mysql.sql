/* What is sold. */
CREATE TABLE `items` (
  `sku` varchar(32) NOT NULL COMMENT 'stock keeping unit',
  `price` decimal(10,2) DEFAULT NULL, -- gross
  PRIMARY KEY (`sku`),
  KEY `by_price` (`price`)
) ENGINE=InnoDB COMMENT='What the shop sells.';
CREATE TEMPORARY TABLE t2 (a int) COMMENT='only for a run';
