import './design/tokens.css';
import './design/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './data/queries.ts';
import { showPreferences } from './design/index.ts';
import { styleNonce } from './router/nonce.ts';
import { loadPage } from './router/page.tsx';
import { router } from './routes.tsx';
import { restoreSession } from './session/session.ts';

showPreferences();
void restoreSession();
// The code of the page comes while the session is restored.
const [matched] = router.getMatchedRoutes(location.pathname.slice('/console'.length));
for (const { options } of matched) loadPage(options.component);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <CSPProvider nonce={styleNonce()}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
