import { type ReactNode, useState } from 'react';
import { asRequestError } from '../data/requestError.ts';
import { Button, Empty, visibleText } from '../design/index.ts';
import { PageLink } from '../router/PageLink.tsx';
import { choosesProject } from '../session/permissions.ts';
import { switchProject, useSession } from '../session/session.ts';

/** A link into a project for which the present key does not act. */
export function OtherProject({ linked }: { linked: string }): ReactNode {
  const { viewer } = useSession();
  const [error, setError] = useState<string>();
  if (!viewer) return null;
  const enter = (): void => {
    setError(undefined);
    switchProject(linked).catch((reason: unknown) => setError(asRequestError(reason).message));
  };
  return (
    <Empty
      title={`This link leads into the project “${visibleText(linked)}”`}
      actions={
        choosesProject(viewer.kind) && (
          <Button kind="primary" onClick={enter}>
            Open that project
          </Button>
        )
      }
    >
      <p>
        {viewer.project ? (
          <>
            Your key acts for <PageLink to={['runs']}>{visibleText(viewer.project.name)}</PageLink>.{' '}
          </>
        ) : (
          'No project is chosen. '
        )}
        {!choosesProject(viewer.kind) && 'Sign in with a key of that project to follow the link.'}
      </p>
      {error && <p role="alert">{error}</p>}
    </Empty>
  );
}
