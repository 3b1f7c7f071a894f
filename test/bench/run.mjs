// node test/bench/run.mjs [scenario...] [--rounds 7] [--seconds 3] [--connections 16,64] [--save]
import { parseArgs } from 'node:util';
import { describeMachine } from './harness/machine.mjs';
import { pinThisProcess } from './harness/pinning.mjs';
import { saveSection } from './harness/results-file.mjs';
import { scenarios } from './scenarios.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
});

for (const name of positionals) {
  if (!(name in scenarios)) {
    console.error(`unknown scenario ${name}; there are: ${Object.keys(scenarios).join(', ')}`);
    process.exit(2);
  }
}

pinThisProcess();
const machine = describeMachine();
for (const name of positionals.length > 0 ? positionals : Object.keys(scenarios)) {
  const scenario = scenarios[name];
  for (const connections of requestedConnections(scenario)) {
    const title = scenario.connections.length > 1 ? `${name} at ${connections}` : name;
    const result = await scenario.run({
      connections,
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
    });
    const text = `${result}\n\n${machine}`;
    console.log(`## ${title}\n\n${text}\n`);
    if (values.save) saveSection(title, text);
  }
}

// Only scenarios that run under more than one load follow the option.
function requestedConnections({ connections }) {
  if (values.connections === undefined || connections.length === 1) return connections;
  return values.connections.split(',').map(Number);
}
