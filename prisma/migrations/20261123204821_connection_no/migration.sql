-- Why: the connections of a runner id are in one order over all processes, so that a late hello cannot displace a newer
-- connection. A connection gets its number when its upgrade is accepted. An older build writes none: a new row has null, and an
-- existing row keeps the number of the connection before.

-- AlterTable
ALTER TABLE "runner" ADD COLUMN     "connection_no" BIGINT;

CREATE SEQUENCE "runner_connection_no_seq" AS BIGINT OWNED BY "runner"."connection_no";
