// `@latchhook/client/react`: a hook for React 18 and later.

export { useSession } from '../use-session.ts';
