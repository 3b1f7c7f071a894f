/** Where the starters of this clone keep what must outlive them. Not under version control. */
export const DEMO_FOLDER: URL = new URL('../.latchhook/', import.meta.url);
