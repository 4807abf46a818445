// Resolves to the library of this folder's own node_modules.
export * from 'ai';
