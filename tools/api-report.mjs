// Compares the public interface of each package with docs/api/<package>.api.md, or writes it: `--update`.
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const update = process.argv.includes('--update');
const root = fileURLToPath(new URL('..', import.meta.url));
const reportFolder = join(root, 'docs/api');
const reportTempFolder = join(root, 'node_modules/.cache/api');
// From this folder: the TypeScript of the root has no programming interface, which api-extractor needs.
const typescriptCompilerFolder = dirname(
  createRequire(import.meta.url).resolve('typescript/package.json'),
);

function checkPackage(name) {
  const folder = join(root, 'packages', name);
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, 'dist/index.d.ts'),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.base.json'),
          compilerOptions: { composite: false },
          files: [join(folder, 'dist/index.d.ts')],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
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
          // No release tags: what index.ts exports is public.
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
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (!apiReportChanged || update) return succeeded;
  console.error(`docs/api/${name}.api.md is not what packages/${name} exports: pnpm api:update`);
  return false;
}

mkdirSync(reportFolder, { recursive: true });
mkdirSync(reportTempFolder, { recursive: true });
const failed = readdirSync(resolve(root, 'packages')).filter((name) => !checkPackage(name));
process.exitCode = failed.length === 0 ? 0 : 1;
