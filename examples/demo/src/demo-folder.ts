/** The folder in which the starters of this clone keep their keys and data. Not under version control. */
export const DEMO_FOLDER: URL = new URL('../.latchhook/', import.meta.url);
