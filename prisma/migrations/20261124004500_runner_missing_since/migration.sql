-- Why: a runner that registers again and again at an address that the service cannot reach counted
-- as live for ever. The column tells since when it has missed all probes. A process of the former
-- version does not write it, and clears it by none of its writes: an answer that only such a
-- process heard ends the miss at the next probe of this version.

-- AlterTable
ALTER TABLE "runner" ADD COLUMN "missing_since" TIMESTAMPTZ(3);
