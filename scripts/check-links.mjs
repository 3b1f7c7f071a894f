// Checks the links between the Markdown files of the repository: the file and the heading must exist.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow } from './files-below.mjs';

const withoutCode = (path) => readFileSync(path, 'utf8').replaceAll(/^```.*?^```/gms, '');

/** The anchors of the headings of a file, as GitHub makes them. */
function anchorsOf(path) {
  const timesSeen = new Map();
  const titles = withoutCode(path).matchAll(/^#+ (.*)$/gm);
  return Array.from(titles, ([, title]) => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = timesSeen.get(slug) ?? 0;
    timesSeen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

function faultOf(file, link) {
  const [path, anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  if (!existsSync(target)) return 'no such file';
  if (!anchor) return undefined;
  const page = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return anchorsOf(page).includes(anchor) ? undefined : 'no such heading';
}

const pages = filesBelow('.').filter((path) => path.endsWith('.md') && !path.endsWith('.api.md'));
const faults = pages.flatMap((file) => {
  const links = Array.from(
    withoutCode(file).matchAll(/\]\(\s*([^)\s]+)\s*\)/g),
    ([, link]) => link,
  );
  const internal = links.filter((link) => !/^[a-z]+:/.test(link));
  return internal.flatMap((link) => {
    const fault = faultOf(file, link);
    return fault ? [`${file}: ${link}: ${fault}`] : [];
  });
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
