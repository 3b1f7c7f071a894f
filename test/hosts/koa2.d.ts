// The alias has no types; what the hosts use is the same in both versions.
declare module 'koa2' {
  export { default } from 'koa';
}
