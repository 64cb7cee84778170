CREATE TYPE public.mood AS ENUM (
    'a',
    'b'
);
CREATE TABLE public.m (
    x public.mood,
    y integer[],
    z text COLLATE pg_catalog."C"
);
CREATE TABLE public.orders (
    id bigint NOT NULL,
    customer_id bigint NOT NULL,
    "Paid At" timestamp with time zone,
    total numeric(12,2) DEFAULT 0
);
COMMENT ON TABLE public.orders IS 'Orders.';
COMMENT ON COLUMN public.orders.customer_id IS 'Who ordered, and it''s kept.';
CREATE VIEW public.open_orders AS
 SELECT orders.id
   FROM public.orders;
CREATE SEQUENCE public.orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.orders_id_seq OWNED BY public.orders.id;
ALTER TABLE ONLY public.orders ALTER COLUMN id SET DEFAULT nextval('public.orders_id_seq'::regclass);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
