-- Why: `holdfast console` signs a browser in by a one-time code, which is a ticket that keeps the key
-- sealed until it is used. Older builds leave the column null.

-- AlterTable
ALTER TABLE "stream_ticket" ADD COLUMN     "sealed_key" BYTEA;
