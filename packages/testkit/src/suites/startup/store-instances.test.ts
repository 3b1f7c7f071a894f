import { setImmediate as nextTurn } from 'node:timers/promises';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectStartupFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyStartup } from '../../self-test/faulty-startup.ts';
import { storeInstances } from './store-instances.ts';

expectStartupFaultsNoticed(storeInstances, {
  'returns the other instances to a joining instance': {
    'returns no instances': faultyStartup(() => ({ join: async () => [] })),
    'returns the joining instance too': faultyStartup(({ join, ...rest }) => {
      const configurations = new Map<string, string>();
      return {
        ...rest,
        join: async ({ instanceId, configuration }) => {
          configurations.set(instanceId, configuration);
          return [...configurations.values()];
        },
      };
    }),
  },
  'returns the last configuration of each instance': {
    'keeps the first configuration': faultyStartup((startup) => {
      const joinedIds = new Set<string>();
      return {
        join: async (instance) => {
          const others = await startup.join({
            ...instance,
            ...(joinedIds.has(instance.instanceId) && { configuration: 'old' }),
          });
          joinedIds.add(instance.instanceId);
          return others;
        },
      };
    }),
  },
  'returns a configuration of any characters unchanged': {
    'trims configurations': faultyStartup((startup) => ({
      join: (instance) =>
        startup.join({ ...instance, configuration: instance.configuration.trim() }),
    })),
    'truncates configurations': faultyStartup((startup) => ({
      join: (instance) =>
        startup.join({ ...instance, configuration: instance.configuration.slice(0, 255) }),
    })),
  },
  'keeps two instances apart if one id is a prefix of the other': {
    'compares the first three characters of ids': faultyStartup((startup) => ({
      join: (instance) =>
        startup.join({ ...instance, instanceId: instance.instanceId.slice(0, 3) }),
      leave: (instanceId) => startup.leave(instanceId.slice(0, 3)),
    })),
  },
  'forgets an instance after ttlMs, unless it joins again': {
    'never forgets an instance': faultyStartup((startup) => ({
      join: (instance) => startup.join({ ...instance, ttlMs: instance.ttlMs * 1000 }),
    })),
    'forgets an instance 2 ms early': faultyStartup((startup) => ({
      join: (instance) => startup.join({ ...instance, ttlMs: instance.ttlMs - 2 }),
    })),
  },
  'forgets an instance that leaves, even if it leaves twice': {
    'keeps an instance that leaves': faultyStartup(() => ({ leave: async () => {} })),
    'throws when an instance leaves twice': faultyStartup((startup) => {
      const goneIds = new Set<string>();
      return {
        leave: async (instanceId) => {
          if (goneIds.has(instanceId)) throw new Outage('unknown instance');
          goneIds.add(instanceId);
          await startup.leave(instanceId);
        },
      };
    }),
  },
  'returns the other to at least one of any two instances that join in parallel': {
    'reads and writes non-atomically': faultyStartup(() => {
      const joined: string[] = [];
      return {
        join: async ({ configuration }) => {
          const others = [...joined];
          await nextTurn();
          joined.push(configuration);
          return others;
        },
      };
    }),
  },
});
