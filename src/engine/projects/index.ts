export { checkName, type Project, suspensionOf } from './project.ts';
export {
  createProject,
  ensureDefaultProject,
  getProject,
  listProjects,
  updateProject,
} from './projects.ts';
export { findProject } from './sql/findProject.ts';
