/* The files of src/report/page as texts.  Private to src/report. */
#ifndef RH_REPORT_PAGE_FILES_H
#define RH_REPORT_PAGE_FILES_H

extern const char rh__page_css[], rh__page_css_end[];
extern const char rh__page_model_js[], rh__page_model_js_end[];
extern const char rh__page_chart_js[], rh__page_chart_js_end[];
extern const char rh__page_panels_js[], rh__page_panels_js_end[];
extern const char rh__page_js[], rh__page_js_end[];
extern const char rh__page_served_js[], rh__page_served_js_end[];
extern const char rh__page_boot_js[], rh__page_boot_js_end[];
extern const char rh__page_body[], rh__page_body_end[];

#endif
