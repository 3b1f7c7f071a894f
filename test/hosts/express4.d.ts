// The alias has no types; what the hosts use is the same in both versions.
declare module 'express4' {
  export { default } from 'express';
}
