export { findNodeKind, type NodeKind } from './sql/findNodeKind.ts';
