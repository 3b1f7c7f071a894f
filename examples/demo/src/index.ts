export { writeAuditLog } from './audit-log.ts';
export { handleDemoEvent } from './handle-demo-event.ts';
export { type FolderHeld, type FolderLock, lockFolder } from './lock-folder.ts';
export { type PageFile, pageFiles } from './page-files.ts';
export type { DemoResponse } from './publish-demo-event.ts';
export { type DemoApp, serve } from './serve.ts';
