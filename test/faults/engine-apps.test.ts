import { describe, expect, it, onTestFinished } from 'vitest';
import { type ProxiedApp, startEngineStarter } from '../support/apps/start-starter.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { crashBetweenRotationAndAnswer } from './scenarios/crash-app.ts';
import { type LosableStore, STORE_LOSSES } from './scenarios/losable-stores.ts';
import { BLACK_HOLE, LOST_REPLIES, REJECTED } from './scenarios/outages.ts';
import { surviveOutage } from './scenarios/survive-outage.ts';

const OUTAGE_MS = 10_000;
const KILLS = 50;

/** The starters themselves are tested on Redis. */
const losses = STORE_LOSSES.filter(({ store }) => store !== 'Redis');
const servers = losses.filter(({ loss }) => loss === 'killed');

async function startProxied({ server }: LosableStore): Promise<ProxiedApp> {
  if (server === undefined) throw new Error('the store has no server');
  const proxy = await startTcpProxy(server.url);
  onTestFinished(() => proxy.stop());
  const url = new URL(server.url);
  url.host = `127.0.0.1:${proxy.port}`;
  return { ...(await startEngineStarter(server.at(url.href))), proxy };
}

for (const { store, loss, isHere, open } of losses) {
  describe.skipIf(!isHere)(`an app whose ${store} is ${loss}`, () => {
    it('responds with 503 in time, issues nothing and logs nobody out', async () => {
      const losable = await open();
      const app = await startEngineStarter(losable.environment);
      const begin = async () => {
        await losable.lose();
        return () => losable.bringBack();
      };
      const outage = { name: loss, begin, answersReads: false };
      reportFigures(`app, ${store} ${loss}`, await surviveOutage(app, outage, OUTAGE_MS));
    });
  });
}

for (const { store, isHere, open } of servers) {
  describe.skipIf(!isHere)(`an app behind a faulty network to ${store}`, () => {
    it.each([BLACK_HOLE, LOST_REPLIES, REJECTED].map((one) => [one.name, one] as const))(
      'responds with 503 in time, issues nothing and logs nobody out while the server is %s',
      async (_, outage) => {
        const app = await startProxied(await open());
        const figures = await surviveOutage(app, outage, OUTAGE_MS);
        reportFigures(`app, ${store} ${outage.name}`, figures);
      },
    );

    it('loses no session at a kill -9 between rotation and response', async () => {
      const losable = await open();
      const { sessions } = losable.connect();
      const app = await startProxied(losable);
      const figures = await crashBetweenRotationAndAnswer(app, sessions, KILLS, seededRandom(2));
      reportFigures(`kill -9 of the app on ${store}`, figures);
      expect(figures.betweenRotationAndAnswer).toBeGreaterThan(0);
    });
  });
}
