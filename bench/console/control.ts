import type { Browser } from 'playwright-core';
import { onTime, type Scrolled, scroll } from './frames.ts';
import { type Recorded, recorder } from './recorder.ts';

/**
 * The frames on time of the least page that shows as many rows, in per cent: plain lines of text,
 * of which only those in view exist. No page of this machine scrolls better.
 */
export async function plainRows(browser: Browser, { rows, height }: { rows: number; height: number }): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.addInitScript({ content: recorder({}) });
    const page = await context.newPage();
    await page.goto('about:blank');
    await page.setContent(pageOf(rows, height));
    await page.waitForTimeout(500);
    await page.evaluate('bench.reset()');
    await page.evaluate<Scrolled>(scroll('ol'));
    return onTime((await page.evaluate<Recorded>('({ ...bench })')).frames);
  } finally {
    await context.close();
  }
}

const pageOf = (rows: number, height: number): string => `<!doctype html>
<style>
  div { height: 560px; overflow: auto }
  ol { position: relative; height: ${rows * height}px; margin: 0; padding: 0; list-style: none }
  li { position: absolute; left: 0; right: 0; height: ${height}px }
</style>
<div><ol></ol></div>
<script>
  const list = document.querySelector('ol');
  const shown = Math.ceil(560 / ${height}) + 1;
  const lines = Array.from({ length: shown }, () => list.appendChild(document.createElement('li')));
  const draw = () => {
    const first = Math.floor(list.parentElement.scrollTop / ${height});
    for (let row = first; row < first + shown; row += 1) {
      lines[row % shown].style.top = row * ${height} + 'px';
      lines[row % shown].textContent = 'row ' + row;
    }
  };
  list.parentElement.addEventListener('scroll', draw);
  draw();
</script>`;
