// A password grant that is one argon2.verify behind node:http and nothing else: what no login can beat.
import { passwordCheck, serve } from './contract.mjs';

const check = await passwordCheck();
serve((req, res) => {
  req.resume().on('end', async () => {
    await check(process.env.BENCH_PASSWORD);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
