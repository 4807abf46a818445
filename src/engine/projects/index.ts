export { createProject, ensureDefaultProject, type NewProject } from './createProject.ts';
export { checkName, pageSize } from './fields.ts';
export { getProject, listProjects, type ProjectPage } from './listProjects.ts';
export type { Project } from './project.ts';
export { findProject } from './sql/findProject.ts';
export { type ProjectChange, updateProject } from './updateProject.ts';
