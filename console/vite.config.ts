import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundleBars } from './bundleBars.ts';

const service = process.env['HOLDFAST_URL'] ?? 'http://localhost:3000';

const sharedParts = /console\/src\/(design|router|session|data)\/|lucide-react/;

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), bundleBars()],
  // The service replaces the text for each request.
  html: { cspNonce: '__CSP_NONCE__' },
  css: { transformer: 'lightningcss', modules: { generateScopedName: '[local]-[hash:4]' } },
  build: {
    target: ['chrome123', 'firefox125', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Fonts and pictures inside style sheets would need `data:` in more directives.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            // Small parts that most pages share: a file of its own costs a request.
            { name: 'parts', test: sharedParts, minShareCount: 6 },
            { name: 'editor', test: /node_modules\/(@codemirror|@lezer|@marijn|style-mod|w3c-keyname|crelt)\// },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/graphql': { target: service, ws: true },
      '/console/session': { target: service },
    },
  },
});
