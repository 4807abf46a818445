import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

/** Shorter files gain nothing. */
const minBytes = 512;
const texts = /\.(js|css|svg|json|map|html|wasm)$/;

/** The best quality takes ten times as long, for one or two percent of the bytes. */
const brotliQuality = 9;

/** Writes each text of a folder compressed beside it: `.br` and `.gz`. */
export function compressFolder(folder) {
  for (const name of readdirSync(folder).filter((each) => texts.test(each))) {
    const file = join(folder, name);
    const content = readFileSync(file);
    if (content.length < minBytes) continue;
    const params = { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
