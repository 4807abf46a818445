/** Features of browsers that the page never uses. */
const unusedFeatures = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'payment', 'serial', 'usb'];

const securityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types holdfast',
  ].join('; ');

/**
 * The headers of the page. It runs no code but its own files, sends to no other host, and stands in
 * no frame. Texts of strangers become no markup, as Trusted Types allow the page's own policy only.
 */
export const pageHeaders = (nonce: string): Record<string, string> => ({
  'content-security-policy': securityPolicy(nonce),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
});

/** The headers of an asset. Its name changes with its content. */
export const assetHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
};

/** The page in place of a console that was not built. */
export const notBuiltPage = /* HTML */ `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Holdfast</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build:console</code> in the folder of the service, and start the service again.</p>
<p>REST and GraphQL work without the console. With <code>CONSOLE=off</code> this page is gone, too.</p>
</html>
`;
