export { createRestApp, type RestApp, type RestOptions } from './app.ts';
export { openApiOf, openApiText } from './declare/openApi.ts';
export { routes } from './routes/index.ts';
