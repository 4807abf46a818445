export { bucketSeconds } from './bucketSeconds.ts';
export { Conditions } from './conditions.ts';
export { type CursorValue, decodeCursor, encodeCursor, maxCursorLength } from './cursor.ts';
export { fitPage } from './fitPage.ts';
export { type Page, toPage } from './page.ts';
export { type PageSizeRule, pageSize } from './pageSize.ts';
export { anySize, bytesOf, type Sized } from './sized.ts';
