-- Why: the delay before a pass is sent again was cut short by whatever else the run waited for. This tells it from a time to wake up.
ALTER TABLE "run_work" ADD COLUMN "retry_at" TIMESTAMPTZ(3);
