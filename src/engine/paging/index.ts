export { bucketSeconds } from './bucketSeconds.ts';
export { Conditions } from './conditions.ts';
export { type CursorValue, decodeCursor, encodeCursor, maxCursorLength } from './cursor.ts';
export { type Page, toPage } from './page.ts';
export { type PageSizeRule, pageSize } from './pageSize.ts';
