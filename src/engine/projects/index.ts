export { checkCeiling, checkName, type Project, suspensionOf } from './project.ts';
export {
  createProject,
  ensureDefaultProject,
  getProject,
  listProjects,
  updateProject,
} from './projects.ts';
export { findProject } from './sql/findProject.ts';
export { insertProject } from './sql/insertProject.ts';
