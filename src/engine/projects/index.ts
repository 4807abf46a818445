export { checkName, type Project, pageSize, suspensionOf } from './project.ts';
export {
  createProject,
  ensureDefaultProject,
  getProject,
  listProjects,
  type NewProject,
  type ProjectChange,
  type ProjectPage,
  updateProject,
} from './projects.ts';
export { findProject } from './sql/findProject.ts';
