import { type Client, createClient } from '@latchhook/client';

export const client: Client = createClient({ baseUrl: '/', mode: 'cookie' });
