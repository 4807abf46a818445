import { createRoute, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OtherProject } from '../frame/OtherProject.tsx';
import { useSession } from '../session/session.ts';
import { rootRoute } from './rootRoute.tsx';

/** The parent of all pages of a project. A link into another project is not followed. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'p/$project',
  component: ProjectPages,
});

function ProjectPages(): ReactNode {
  const { project: linked } = projectRoute.useParams();
  const { viewer } = useSession();
  const isPresent = viewer?.project && (viewer.project.name === linked || viewer.project.id === linked);
  return isPresent ? <Outlet /> : <OtherProject linked={linked} />;
}
