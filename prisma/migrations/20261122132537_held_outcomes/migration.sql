-- Why: a failure in a suspended project is handled once the project goes on. A former build drops such an outcome, as it always did.

-- AlterTable
ALTER TABLE "run_outcome" ADD COLUMN     "held_for" UUID;
