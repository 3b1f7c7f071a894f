// A password grant that is only one argon2.verify behind node:http: no login can be faster.
import { passwordCheck, serve } from './contract.mjs';

const check = await passwordCheck();
serve((req, res) => {
  req.resume().on('end', async () => {
    await check(process.env.BENCH_PASSWORD);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
