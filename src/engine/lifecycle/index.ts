export { type LifecycleKind, lifecycleKinds } from './lifecycleKinds.ts';
