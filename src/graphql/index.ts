export { Documents } from './documents.ts';
export { editorFiles } from './editor.ts';
export { createGraphqlHandler, type GraphqlHandler } from './http.ts';
export { createGraphqlSocketServer, type GraphqlSocketServer, type SocketServerOptions } from './socketServer.ts';
