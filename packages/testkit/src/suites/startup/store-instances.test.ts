import { setImmediate as turn } from 'node:timers/promises';
import { tryStartup } from '../../fixtures/startup-fixture.ts';
import { expectFaultsNoticed, Outage } from '../../self-test/expect-faults-noticed.ts';
import { startupThat } from '../../self-test/faulty-startup.ts';
import { storeInstances } from './store-instances.ts';

const sound = startupThat(() => ({}));

expectFaultsNoticed(
  storeInstances,
  {
    'are found by others that join, and not by themselves': {
      'finds nobody': startupThat(() => ({ join: async () => [] })),
      'finds the one that asks': startupThat(({ join, ...rest }) => {
        const joined = new Map<string, string>();
        return {
          ...rest,
          join: async ({ instanceId, configuration }) => {
            joined.set(instanceId, configuration);
            return [...joined.values()];
          },
        };
      }),
    },
    'are found with what they said last': {
      'keeps what was said first': startupThat((startup) => {
        const known = new Set<string>();
        return {
          join: async (instance) => {
            const others = await startup.join({
              ...instance,
              ...(known.has(instance.instanceId) && { configuration: 'old' }),
            });
            known.add(instance.instanceId);
            return others;
          },
        };
      }),
    },
    'say what they want, in any characters': {
      'trims it': startupThat((startup) => ({
        join: (instance) =>
          startup.join({ ...instance, configuration: instance.configuration.trim() }),
      })),
      'cuts it': startupThat((startup) => ({
        join: (instance) =>
          startup.join({ ...instance, configuration: instance.configuration.slice(0, 255) }),
      })),
    },
    'that have ids of which one begins with the other are two': {
      'compares the first characters': startupThat((startup) => ({
        join: (instance) =>
          startup.join({ ...instance, instanceId: instance.instanceId.slice(0, 3) }),
        leave: (instanceId) => startup.leave(instanceId.slice(0, 3)),
      })),
    },
    'are forgotten when their time is over, unless they join again': {
      'never forgets': startupThat((startup) => ({
        join: (instance) => startup.join({ ...instance, ttlMs: instance.ttlMs * 1000 }),
      })),
      'forgets a moment too soon': startupThat((startup) => ({
        join: (instance) => startup.join({ ...instance, ttlMs: instance.ttlMs - 2 }),
      })),
    },
    'are forgotten when they leave, however often they do': {
      'keeps them': startupThat(() => ({ leave: async () => {} })),
      'rejects for one that is not there': startupThat((startup) => {
        const left = new Set<string>();
        return {
          leave: async (instanceId) => {
            if (left.has(instanceId)) throw new Outage('not there');
            left.add(instanceId);
            await startup.leave(instanceId);
          },
        };
      }),
    },
    'that join at once find each other: of any two, one does': {
      'reads, then writes': startupThat(() => {
        const joined: string[] = [];
        return {
          join: async ({ configuration }) => {
            const others = [...joined];
            await turn();
            joined.push(configuration);
            return others;
          },
        };
      }),
    },
  },
  sound,
  tryStartup,
);
