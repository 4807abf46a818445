import { Link, useRouter } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useSession } from '../session/session.ts';

/** The name of the project whose pages are shown. */
export const useProject = (): string => useSession().viewer?.project?.name ?? '';

/** The path of a page of a project: `['runs', id]`. Names of strangers are escaped. */
export const pathIn = (project: string, parts: readonly string[]): string =>
  ['/p', project, ...parts].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');

interface PageLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** The page within the project: `['runs', id]`; `[]` is the overview. */
  to: readonly string[];
  search?: Record<string, unknown>;
  /** Sub-pages do not count as this page. */
  isExact?: boolean;
  children: ReactNode;
}

/** A link to a page of the present project. */
export function PageLink({ to, search, isExact = false, ...rest }: PageLinkProps): ReactNode {
  const project = useProject();
  const path: string = pathIn(project, to);
  return <Link {...rest} to={path} search={search ?? {}} activeOptions={{ exact: isExact, includeSearch: false }} />;
}

/** Goes to a page of the present project. */
export function useGo(): (to: readonly string[], search?: Record<string, unknown>) => void {
  const router = useRouter();
  const project = useProject();
  return (to, search = {}) => void router.navigate({ to: pathIn(project, to), search } as never);
}
