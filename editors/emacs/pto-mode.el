;;; pto-mode.el --- Major mode for PTO tile programs -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, comments and indentation of `.pto' files.  Problems, hover, completion, definitions, new names and
;; formatting come from the language server `pto lsp', through eglot (M-x eglot) or lsp-mode (M-x lsp).

;;; Code:

(defgroup pto nil
  "PTO tile programs."
  :group 'languages)

(defcustom pto-server-command '("pto" "lsp")
  "The command that starts the language server."
  :type '(repeat string))

(defcustom pto-indent-offset 2
  "Columns by which the inside of braces is indented."
  :type 'integer)

(defvar pto-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    (dolist (char '(?% ?@ ?! ?# ?^ ?$ ?. ?-))
      (modify-syntax-entry char "_" table))
    (dolist (pair '((?\( . "()") (?\) . ")(") (?\[ . "(]") (?\] . ")[") (?{ . "(}") (?} . "){")))
      (modify-syntax-entry (car pair) (cdr pair) table))
    table))

(defvar pto-font-lock-keywords
  '(("\\_<\\(func\\.func\\|func\\|module\\|private\\|public\\|nested\\|attributes\\|ins\\|outs\\|return\\)\\_>" . font-lock-keyword-face)
    ("\\_<\\(scf\\|cf\\)\\.[a-z_]+" . font-lock-keyword-face)
    ("@[[:alnum:]_$.-]+" . font-lock-function-name-face)
    ("%[[:alnum:]_$.-]+\\(?:#[0-9]+\\)?" . font-lock-variable-name-face)
    ("[!][[:alpha:]_$][[:alnum:]_$.]*" . font-lock-type-face)
    ("#[[:alpha:]_$][[:alnum:]_$.]*" . font-lock-constant-face)
    ("\\_<\\(?:u?i\\(?:1\\|4\\|8\\|16\\|32\\|64\\)\\|b?f\\(?:16\\|32\\|64\\)\\|index\\)\\_>" . font-lock-type-face)
    ("\\_<[a-z_]+\\(?:\\.[a-z_0-9]+\\)+\\_>" . font-lock-builtin-face)))

(defun pto-indent-line ()
  "Indent the line by the braces around it."
  (interactive)
  (let* ((depth (save-excursion
                  (beginning-of-line)
                  (if (looking-at "[ \t]*[])}]")
                      (max 0 (1- (car (syntax-ppss))))
                    (car (syntax-ppss)))))
         (column (* pto-indent-offset depth)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode pto-mode prog-mode "PTO"
  "Major mode for PTO tile programs."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+\\s-*")
  (setq-local indent-line-function #'pto-indent-line)
  (setq-local font-lock-defaults '(pto-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.pto\\'" . pto-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'pto-mode (lambda (&rest _) pto-server-command))))

(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(defvar lsp-language-id-configuration)
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(pto-mode . "pto"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () pto-server-command))
                    :activation-fn (lambda (_file mode) (eq mode 'pto-mode))
                    :server-id 'pto)))

(provide 'pto-mode)
;;; pto-mode.el ends here
