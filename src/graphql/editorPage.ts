/** The page that asks for a key. Its addresses are relative, so it also works behind a proxy. */
export const page = /* HTML */ `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast GraphQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/graphiql.css">
<style>
html, body { margin: 0; height: 100%; font: 16px/1.5 system-ui, sans-serif; }
#editor { height: 100vh; }
form { max-width: 32rem; margin: 0 auto; padding: 15vh 1rem 0; }
label { display: block; margin: 1rem 0; }
input { display: block; box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { padding: 0.5rem 1rem; font: inherit; }
#refusal { color: #b00020; }
[hidden] { display: none; }
</style>
<script defer src="graphql/editor.js"></script>
<script defer src="graphql/graphiql.js"></script>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<form id="ask">
<h1>Holdfast GraphQL</h1>
<p>The schema can be read with an API key. The page keeps the key in memory until it is closed or loaded again. On a
machine of your own the keys are in <code>.holdfast/keys.json</code>.</p>
<label>API key <input id="key" type="password" required autocomplete="off" spellcheck="false" autofocus></label>
<label>Project, for a platform or operator key <input id="project" autocomplete="off" spellcheck="false"></label>
<p id="refusal" role="alert"></p>
<button>Open</button>
</form>
<div id="editor" hidden></div>
</body>
</html>
`;

/**
 * The script of the page. It checks the key, then renders GraphiQL, which sends the key over HTTP
 * and over the socket.
 */
export const script = /* JavaScript */ `'use strict';
const part = (id) => document.getElementById(id);
const files = new URL('.', document.currentScript.src);
const loaded = new Promise((resolve) => addEventListener('load', resolve));

self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => new URL(label + '.js', files).href };

part('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  const project = part('project').value.trim();
  const credentials = {
    authorization: 'Bearer ' + part('key').value.trim(),
    ...(project && { 'x-service-project': project }),
  };
  part('refusal').textContent = '';
  open(credentials).catch((error) => { part('refusal').textContent = error.message; });
});

async function open(credentials) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  const { errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  await loaded;
  part('ask').remove();
  part('editor').hidden = false;
  YogaGraphiQL.renderYogaGraphiQL(part('editor'), {
    title: 'Holdfast',
    defaultQuery: '{\\n  runs(first: 10) {\\n    nodes {\\n      id\\n      workflow\\n      status\\n    }\\n  }\\n}\\n',
    shouldPersistHeaders: false,
    additionalHeaders: credentials,
    subscriptionsProtocol: 'WS',
    connectionParams: credentials,
  });
}
`;
