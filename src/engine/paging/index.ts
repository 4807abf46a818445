export { Conditions } from './conditions.ts';
export {
  type CursorPart,
  type CursorValue,
  cursorParts,
  decodeCursor,
  encodeCursor,
  maxCursorLength,
  optionalPart,
} from './cursor.ts';
export { anySize, bytesOf, fitPage, type Page, type Sized, toPage } from './page.ts';
export { bucketSeconds, bucketSizes, pageSize, pageSizes, type Sizes } from './pageSize.ts';
export { headColumns, headOf, type PayloadHead } from './payloadHead.ts';
