PRAGMA foreign_keys = ON;
CREATE TABLE [tide gauge] ( -- where water is measured
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  river,
  level REAL -- in metres
) STRICT;
CREATE VIEW IF NOT EXISTS high (gauge, level) AS SELECT id, level FROM "tide gauge" WHERE level > 3;
CREATE TABLE broken (
; CREATE TABLE kept (key varchar(20) PRIMARY KEY, "index" int, period int, KEY by_value (value), value text
; CREATE TABLE after (a int);
