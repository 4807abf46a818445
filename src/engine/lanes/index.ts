export { createLanes } from './cachedLanes.ts';
