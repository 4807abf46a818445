import { createRootRoute, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Toasts } from '../design/index.ts';
import { Frame } from '../frame/Frame.tsx';
import { PageFailure } from '../frame/PageFailure.tsx';
import { RestoringPage, SignInDialog, SignInPage } from '../session/SignIn.tsx';
import { useSession } from '../session/session.ts';

export const rootRoute = createRootRoute({ component: Root, errorComponent: PageFailure });

/** The frame with the page; or the sign-in page until there is a key. */
function Root(): ReactNode {
  const { phase, viewer } = useSession();
  if (phase === 'restoring') return <RestoringPage />;
  if (!viewer) return <SignInPage />;
  return (
    <>
      <Frame>
        <Outlet />
      </Frame>
      <SignInDialog />
      <Toasts />
    </>
  );
}
