import { type ExpressRequest, latchhook, requireAuth } from '@latchhook/express';
import bodyParser from 'body-parser';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import { drain, echo, type Host, MOUNT_PATHS, type Parser } from './host.ts';

const FRAMEWORKS = [
  { framework: 'Express 4', create: express4 },
  { framework: 'Express 5', create: express },
] as const;

const FORM = 'application/x-www-form-urlencoded';

function parsersOf(create: typeof express): readonly Parser<RequestHandler>[] {
  return [
    { name: 'no parser', reach: 'unread', middleware: [] },
    {
      name: 'express.json and express.urlencoded',
      reach: 'parsed',
      middleware: [create.json(), create.urlencoded({ extended: false })],
    },
    {
      name: 'body-parser 2',
      reach: 'parsed',
      middleware: [bodyParser.json(), bodyParser.urlencoded({ extended: true })],
    },
    {
      name: 'express.json for another media type',
      reach: 'unread',
      middleware: [create.json({ type: 'application/vnd.other+json' })],
    },
    { name: 'express.raw', reach: 'raw', middleware: [create.raw({ type: '*/*' })] },
    {
      name: 'express.text',
      reach: 'raw',
      middleware: [create.text({ type: ['text/*', 'application/json', FORM] })],
    },
    {
      name: 'middleware that sets rawBody, as on Cloud Functions',
      reach: 'raw',
      middleware: [
        (req, _res, next) => {
          drain(req).then((rawBody) => {
            Object.assign(req, { rawBody });
            next();
          }, next);
        },
      ],
    },
    {
      name: 'middleware that consumes the body',
      reach: 'lost',
      middleware: [(req, _res, next) => void drain(req).then(() => next(), next)],
    },
  ];
}

export const expressHosts: readonly Host[] = FRAMEWORKS.flatMap(({ framework, create }) =>
  parsersOf(create).flatMap(({ name, reach, middleware }) =>
    MOUNT_PATHS.map((mountPath) => ({
      framework,
      parser: name,
      reach,
      mountPath,
      listener(auth) {
        const app = create();
        for (const one of middleware) app.use(one);
        mountAt(app, create, mountPath, latchhook(auth));
        app.get('/me', requireAuth(auth, { scope: 'user' }), (req, res) => {
          res.json({ user: req.auth?.userId });
        });
        app.get('/internal', requireAuth(auth, { scope: ['user', 'internal'] }), (_req, res) => {
          res.json({});
        });
        app.get(
          '/accounts/:accountId',
          requireAuth(auth, { account: (req) => Number(req.params['accountId']) }),
          (req, res) => {
            res.json({ account: Number(req.params.accountId) });
          },
        );
        app.get('/unnamed', requireAuth(auth, { account: () => undefined }), (_req, res) => {
          res.json({});
        });
        app.post('/echo', (req, res, next) => {
          const { body: parsed, rawBody }: ExpressRequest = req;
          echo(req, parsed ?? rawBody).then((body) => res.type('text').send(body), next);
        });
        return app;
      },
    })),
  ),
);

/** Each part of the path is its own router, as in apps that have grown. */
function mountAt(
  app: Express,
  create: typeof express,
  mountPath: string,
  handler: RequestHandler,
): void {
  const parts = mountPath.split('/').slice(1);
  const mounted = parts.reduceRight<RequestHandler>(
    (inner, part) => create.Router().use(`/${part}`, inner),
    handler,
  );
  app.use(mounted);
}
