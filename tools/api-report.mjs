// Compares the public interface of each package with docs/api/<package>.api.md, and that of its further entries with
// docs/api/<package>-<entry>.api.md, or writes them: `--update`. A name is in one entry only.
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entriesOf } from '../scripts/package-entries.mjs';
import { publicNames } from './public-names.mjs';

const update = process.argv.includes('--update');
const root = fileURLToPath(new URL('..', import.meta.url));
const reportFolder = join(root, 'docs/api');
const reportTempFolder = join(root, 'node_modules/.cache/api');
// From this folder: the TypeScript of the root has no programming interface, which api-extractor needs.
const typescriptCompilerFolder = dirname(
  createRequire(import.meta.url).resolve('typescript/package.json'),
);

/** Generated from docs/api/openapi.json, so that a report would only repeat that file. */
const generated = ['client/openapi'];

function checkPackage(name) {
  const entries = entriesOf(name).map((entry) => ({ ...entry, types: join(root, entry.types) }));
  const namesByEntry = publicNames(entries.map(({ types }) => types));
  const names = namesByEntry.flat();
  const twice = new Set(names.filter((one, index) => names.indexOf(one) !== index));
  for (const one of twice) console.error(`${one} is in more than one entry of packages/${name}`);
  // Checks all entries, so that one call reports everything that is wrong.
  const correct = entries
    .filter((entry) => !generated.includes(`${name}/${entry.name}`))
    .map((entry) => checkEntry(name, entry, new Set(names)));
  return twice.size === 0 && !correct.includes(false);
}

/** @param names - of all entries of the package: an entry may refer to a name that another entry exports */
function checkEntry(packageName, { name, types }, names) {
  const folder = join(root, 'packages', packageName);
  const reportName = name === 'index' ? packageName : `${packageName}-${name}`;
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.base.json'),
          compilerOptions: { composite: false },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${reportName}.api.md`,
        reportFolder,
        reportTempFolder,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          // No release tags: what an entry exports is public.
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
  const { succeeded, apiReportChanged } = Extractor.invoke(config, {
    localBuild: update,
    typescriptCompilerFolder,
    messageCallback: (message) => {
      if (names.has(missingNameOf(message))) message.logLevel = ExtractorLogLevel.None;
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (!apiReportChanged || update) return succeeded;
  console.error(`docs/api/${reportName}.api.md is not what its entry exports: pnpm api:update`);
  return false;
}

/** The name that an entry shows or links to and does not export; undefined for any other message. */
function missingNameOf({ messageId, text }) {
  if (messageId === 'ae-forgotten-export') return text.match(/symbol "(.+?)"/)?.[1];
  if (messageId === 'ae-unresolved-link') return text.match(/an export "(.+?)"/)?.[1];
  return undefined;
}

mkdirSync(reportFolder, { recursive: true });
mkdirSync(reportTempFolder, { recursive: true });
const failed = readdirSync(join(root, 'packages')).filter((name) => !checkPackage(name));
process.exitCode = failed.length === 0 ? 0 : 1;
