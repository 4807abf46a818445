import { useRouter } from '@tanstack/react-router';
import { pathIn } from './PageLink.tsx';

/** Goes to a page of any project, once the session acts for it. */
export function useNavigateTo(): (project: string, to: readonly string[]) => void {
  const router = useRouter();
  return (project, to) => void router.navigate({ to: pathIn(project, to) } as never);
}
