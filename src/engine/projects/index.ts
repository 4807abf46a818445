export { checkName, type Project } from './project.ts';
export {
  createProject,
  ensureDefaultProject,
  getProject,
  listProjects,
  updateProject,
} from './projects.ts';
export { findProject } from './sql/findProject.ts';
