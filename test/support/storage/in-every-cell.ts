import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { HttpResponse } from '../../hosts/send-request.ts';
import { type Cell, startTestApp, type TestApp, type TestAppOptions } from '../apps/test-app.ts';
import { EVERY_CELL } from '../every-cell.ts';
import { openPglite } from '../servers/shared-database.ts';
import { isHere, type StorageKind } from './cell-storage.ts';

const FRAMEWORKS = ['express', 'koa'] as const;
const STORAGES = ['memory', 'redis', 'postgres', 'pglite'] as const;
/** These cells cover every framework and every kind of storage. */
const REPRESENTATIVE = new Set(['express, memory', 'koa, redis', 'express, postgres']);

interface NamedCell extends Cell {
  readonly name: string;
}

export function cellsOn(storages: readonly StorageKind[]): readonly NamedCell[] {
  return FRAMEWORKS.flatMap((framework) =>
    storages.map((storage) => ({ name: `${framework}, ${storage}`, framework, storage })),
  );
}

/** Each framework on each storage, or representative cells. A client must not be able to tell cells apart. */
export const CELLS: readonly NamedCell[] = cellsOn(STORAGES).filter(
  ({ name }) => EVERY_CELL || REPRESENTATIVE.has(name),
);

/**
 * One framework on the storages that core derives from an engine. Engines have suites of their own, so here the main
 * flows are enough.
 */
const ENGINE_CELLS = cellsOn(['sqlite', 'mysql']).filter(
  ({ framework }) => framework === 'express',
);

/** Registers tests in each cell. The run skips and reports cells whose storage it lacks. */
export function describeCells(
  cells: readonly NamedCell[],
  define: (cell: NamedCell) => void,
): void {
  for (const cell of cells) {
    describe.skipIf(!isHere(cell.storage))(cell.name, () => {
      if (cell.storage === 'pglite') beforeAll(openPglite);
      define(cell);
    });
  }
}

/** Defines a test of an app, which is started for this test only. */
export type DefineTest = (
  title: string,
  test: (app: TestApp) => Promise<void>,
  options?: TestAppOptions,
) => void;

/**
 * Registers each test in every cell, and one more test: in all cells a test got the same responses, to the byte, apart
 * from random values.
 *
 * @param shared - options of every app, which the options of a test override.
 */
export function inEveryCell(
  topic: string,
  define: (test: DefineTest) => void,
  shared: TestAppOptions = {},
): void {
  testInCells(CELLS, topic, define, shared);
}

/** Like {@link inEveryCell}, and also on the storages that core derives from an engine. */
export const onEnginesToo: typeof inEveryCell = (topic, define, shared = {}) => {
  testInCells([...CELLS, ...ENGINE_CELLS], topic, define, shared);
};

function testInCells(
  allCells: readonly NamedCell[],
  topic: string,
  define: (test: DefineTest) => void,
  shared: TestAppOptions,
): void {
  const transcripts = new Map<string, Map<string, readonly object[]>>();

  describe(topic, () => {
    describeCells(allCells, (cell) => {
      define((title, body, options = {}) => {
        it(title, async () => {
          const app = await startTestApp(cell, { ...shared, ...options });
          onTestFinished(() => app.stop());
          await body(app);
          const ofTest = transcripts.get(title) ?? new Map<string, readonly object[]>();
          transcripts.set(title, ofTest.set(cell.name, app.transcript.map(comparable)));
        });
      });
    });

    it('responses are the same on every framework and storage, to the byte', () => {
      const cells = allCells.filter(({ storage }) => isHere(storage)).map(({ name }) => name);
      expect(transcripts.size).toBeGreaterThan(0);
      for (const [title, byCell] of transcripts) {
        expect([...byCell.keys()], title).toEqual(cells);
        const [[first, expected] = ['', []], ...others] = byCell;
        for (const [other, answers] of others) {
          expect(answers, `${title}: ${other} and ${first}`).toEqual(expected);
        }
      }
    });

    afterAll(() => transcripts.clear());
  });
}

/** Headers that Node adds. */
const NODE_HEADERS = new Set(['connection', 'date', 'keep-alive']);

const RANDOM_FIELDS =
  /"(access_token|refresh_token|challenge|secret|token|prefix|jti|sid|otpauth_uri)":"[^"]+"/g;
/** Session ids have no prefix; the SVG contains escaped quotes. */
const RANDOM_SHAPES = [
  [/"id":"[\w-]{22}"/g, '"id":"..."'],
  [/"qr_svg":"(?:[^"\\]|\\.)+"/g, '"qr_svg":"..."'],
  [/"[A-Z2-7]{4}(-[A-Z2-7]{4}){3}"/g, '"XXXX-XXXX-XXXX-XXXX"'],
] as const;
const RANDOM_IDS = /\b(wh|msg|pat)_[\w-]{22}(?![\w-])/g;
/** Masked, because the clocks of the apps were started one after the other. */
const TIMES = /"\d{4}-\d{2}-\d{2}T[\d:.]+Z"/g;
/** A time in ms has thirteen digits, 18 characters in base64url. Other cursors are counts, which are compared. */
const TIME_CURSORS = /"next_cursor":"[\w-]{18}"/g;
/** The cursor of a page of deliveries contains a number that differs by storage. */
const DELIVERY_CURSORS = /("object":"Delivery".*"next_cursor":)"[\w-]+"/;
const TIME_CLAIMS = /"(iat|exp)":\d+/g;

/** The response without random values and times: two apps must agree on every byte of it. */
export function comparable({ status, headers, body }: HttpResponse): object {
  const ours = Object.entries(headers)
    .filter(([name]) => !NODE_HEADERS.has(name))
    .map(([name, value]) => [name, maskRandom(String(value))]);
  return {
    status,
    headers: {
      ...Object.fromEntries(ours),
      // The counters of failed logins run in real time.
      ...(status === 429 ? { 'retry-after': '...' } : {}),
      // The length of an SVG depends on its content, and that of a number on its size.
      ...(body.includes('"qr_svg"') || DELIVERY_CURSORS.test(body)
        ? { 'content-length': '...' }
        : {}),
    },
    body: maskRandom(body),
  };
}

function maskRandom(text: string): string {
  return RANDOM_SHAPES.reduce((known, [shape, mask]) => known.replace(shape, mask), text)
    .replace(RANDOM_FIELDS, '"$1":"..."')
    .replace(RANDOM_IDS, '$1_...')
    .replace(TIMES, '"..."')
    .replace(TIME_CURSORS, '"next_cursor":"..."')
    .replace(DELIVERY_CURSORS, '$1"..."')
    .replace(TIME_CLAIMS, '"$1":0');
}
