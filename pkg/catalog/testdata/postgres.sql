-- Orders of customers,
-- one row each.
CREATE TABLE IF NOT EXISTS public.orders (
    id bigserial PRIMARY KEY, -- never reused
    customer_id bigint NOT NULL REFERENCES public.customers (id) ON DELETE CASCADE,
    -- In cents, without tax.
    total numeric(12, 2) DEFAULT 0.00 CHECK (total >= 0),
    "State" text NOT NULL DEFAULT 'open, not paid',
    CONSTRAINT one_state CHECK ("State" <> ''),
    UNIQUE (customer_id, total)
) PARTITION BY RANGE (id);

CREATE INDEX orders_customer ON public.orders (customer_id);
COMMENT ON COLUMN public.orders.customer_id IS 'Who ordered; it''s never changed.';
ALTER TABLE ONLY public.orders ADD COLUMN IF NOT EXISTS paid_at timestamptz, ADD CONSTRAINT x UNIQUE (paid_at);
INSERT INTO public.orders VALUES (1, 2, 3, 'create table not_one (a int);');
CREATE FUNCTION f() RETURNS trigger AS $body$ BEGIN create table nor_this (a int); END $body$ LANGUAGE plpgsql;
CREATE TABLE customers (id bigint);
COMMENT ON TABLE customers IS $$People who buy.$$;
