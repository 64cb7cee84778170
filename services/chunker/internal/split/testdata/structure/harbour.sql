-- Boats that have a berth.
CREATE TABLE IF NOT EXISTS harbour.boats (
  id integer PRIMARY KEY, -- as painted; on the bow
  name text NOT NULL DEFAULT 'no; name',
  length_m numeric(5, 2)
);
COMMENT ON TABLE harbour.boats IS 'Boats; with a berth';
  CREATE UNIQUE INDEX boats_name ON harbour.boats (name);
INSERT INTO harbour.boats VALUES (1, 'Aurora', 38.5); INSERT INTO harbour.boats VALUES (2, 'Möwe', 17);

CREATE OR REPLACE FUNCTION longest() RETURNS numeric AS $body$
BEGIN
  -- the longest; of all
  RETURN (SELECT max(length_m) FROM harbour.boats);
END;
$body$ LANGUAGE plpgsql;
/* Notes; each change. */
CREATE TRIGGER noted AFTER UPDATE ON boats FOR EACH ROW
BEGIN
  IF NEW.name <> OLD.name THEN INSERT INTO log VALUES (CASE WHEN 1 THEN 2 END); END IF;
END;
CREATE VIEW "Long Boats" AS SELECT * FROM harbour.boats WHERE length_m > 20;
