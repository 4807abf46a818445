-- Why: a bulk call names the runs that it made or cancelled, so that people can list them.

-- AlterTable
ALTER TABLE "control_action" ADD COLUMN     "run_ids" UUID[] DEFAULT ARRAY[]::UUID[];
