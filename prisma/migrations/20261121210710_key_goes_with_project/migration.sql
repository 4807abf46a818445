-- Why: a platform key that is bound to a project became one that may name any project when that project was deleted.

-- DropForeignKey
ALTER TABLE "api_key" DROP CONSTRAINT "api_key_project_id_fkey";

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project"("id") ON DELETE CASCADE ON UPDATE CASCADE;
